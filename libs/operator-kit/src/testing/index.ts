export type { EventFault, RequestFault } from './api-server/faults.ts';
export type { Json } from './api-server/json.ts';
export { startApiServer, type ApiServer } from './api-server/server.ts';
