export { createClockGuard, type ClockGuard } from './clock-guard.ts';
export { aloneEnv, type ConnectEnv } from './env.ts';
export { connectPlatform } from './platform.ts';
export { runService, type Connections, type ServiceSpec } from './run.ts';
export { connectBus, connectKv, topicsOf } from './stores.ts';
export { endOfLife, endSignal, unexpectedFailure, type EndReason } from './supervise.ts';
