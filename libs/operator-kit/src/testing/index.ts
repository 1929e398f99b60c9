export { Failure } from './api-server/failure.ts';
export type { EventFault, Faults, RequestFacts, RequestFault, RequestScope } from './api-server/faults.ts';
export type { Json } from './api-server/json.ts';
export type { Kind } from './api-server/kinds.ts';
export { startApiServer, type ApiServer, type ApiServerOptions } from './api-server/server.ts';
export type { Store } from './api-server/store.ts';
export type { Watches } from './api-server/watches.ts';
