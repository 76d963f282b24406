"""Measurements: what a cache saves, and what extraction costs beside the libraries that people would use instead."""
