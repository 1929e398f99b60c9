export { clientFor, loopbackServer, serveHttp, serveTcp, unusedPort } from './loopback.ts';
export { mockServer } from './mock-server.ts';
export { cutResponse, type ReceivedRequest, type Responder, type TestServer } from './responder.ts';
export { targetOf as requestTarget } from '../client.ts';
export { broken, httpAnswer, scriptedHttp, type Script } from './scripted-http.ts';
