"""Systems to start from; the build copies them into the starting kit."""
