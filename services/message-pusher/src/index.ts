export { auth, type AuthResult } from './auth/auth.ts';
export { parsePusherConfig, pusherEnv, type PusherConfig } from './config.ts';
export type { FailedBody, FailedPayload } from './failures/failed-entry.ts';
export { createLedger, type Ledger, type LedgerOptions } from './ledger/ledger.ts';
export { isPushMessage } from './push/event-type.ts';
export {
  pushActionId,
  type ActivitySink,
  type PublishDeadLetter,
  type PushDeps,
  type PushInput,
  type PushSettings,
} from './push/parts.ts';
export { pushMessages } from './push/push-messages.ts';
export { replayPush, type ReplayDeps } from './push/replay.ts';
export type { FailedRecipient, PushBody, PushResult, SkippedBody } from './push/result.ts';
export { traceParentOf } from './push/trace-parent.ts';
export { createTurns, type Turns } from './push/turns.ts';
