export type { Resolve } from './agents.ts';
export { createHttpClient, type HttpClientOptions } from './client.ts';
export { AddressRefusal, createGuard, type Guard, type Protocol, refusalOf } from './guard.ts';
export type { HttpAnswer, HttpClient, HttpRequest } from './port.ts';
export { proxyFor, proxySettings, type ProxySettings } from './proxy.ts';
