export type { Resolve } from './agents.ts';
export { createHttpClient, type HttpClientOptions } from './client.ts';
export { AddressRefusal, createGuard, refusalOf, type Guard, type Protocol } from './guard.ts';
export type { HttpAnswer, HttpClient, HttpRequest } from './port.ts';
export { proxyFor, proxySettings, type ProxySettings } from './proxy.ts';
