export { type ApiServer, startApiServer } from './api-server.ts';
export { connect } from './connect.ts';
export type { Json } from './store.ts';
