"""What the tests of tracking share."""
