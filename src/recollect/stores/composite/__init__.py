"""One truth, and beside it engines that find: words on one, meaning on another."""
