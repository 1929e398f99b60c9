/** Device of the lines to try of `up`; none of a simulated fleet has its number. */
export const trialDevice = '300434030099999';
