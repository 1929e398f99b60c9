/** User and group that programs in images run as; a number, so that a cluster can see that it is not root. */
export const nonRoot = 65_532;
