export { parseCrontab, type Crontab } from './schedule/crontab.ts';
export { lastFire, nextFire } from './schedule/fires.ts';
