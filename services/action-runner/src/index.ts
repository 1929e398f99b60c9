export { credentialsOf, readAuthConfig } from './auth/auth.ts';
export { isActiveUser } from './auth/auth.ts';
export { compose } from './compose.ts';
export { siteEventsGroup } from './delivery/consumer.ts';
export { parseRunnerConfig, runnerEnv } from './config.ts';
export { pullProgress, type PullProgress } from './pull/progress.ts';
export { runnerProblems, runnerPulls, runnerSchedules, runnerType } from './runner-type.ts';
export { announcedTypes, readSchedules, type ServiceSchedules } from './scheduler/announce.ts';
export { readSchedulerEntries, schedulerKey } from './scheduler/due.ts';
