/** Device of the example commands of `up`; no simulated device has its number. */
export const trialDevice = '300434030099999';
