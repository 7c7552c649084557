"""The tests; a package, so that one test module may import helpers of another."""
