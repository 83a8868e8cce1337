"""What a supervisor or Prometheus may ask over HTTP: how the product is doing. Numbers only, and nobody's name."""
