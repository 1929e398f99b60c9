export { authFields } from './handlers.ts';
export { compose, type PusherDependencies, type PusherService } from './compose.ts';
export { parsePusherConfig, pusherEnv, type PusherConfig } from './config.ts';
export * as handlers from './handlers.ts';
export { replayPush, type ReplayDeps } from './push/replay.ts';
export type { FailedRecipient, PushBody } from './push/result.ts';
export { pusherType } from './pusher-type.ts';
