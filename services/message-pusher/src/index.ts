export { compose } from './compose.ts';
export { pusherEnv, pusherProblems } from './config.ts';
export * as handlers from './handlers.ts';
export { replayPush } from './push/replay.ts';
export { pusherType } from './pusher-type.ts';
