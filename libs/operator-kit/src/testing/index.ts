export type { EventFault, RequestFault } from './api-server/faults.ts';
export type { Json } from './api-server/json.ts';
export { openAccess } from './open-access.ts';
export { startApiServer, type ApiServer } from './api-server/server.ts';
