"""The outside world, one file per outside thing. No adapter knows another; `wiring` alone names them."""
