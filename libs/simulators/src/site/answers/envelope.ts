import { json, type SimulatedResponse } from '../../http/answer.ts';

const messages: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

const statusOf = (code: number, detail?: string): object => ({
  code,
  message: messages[code] ?? 'Error',
  ...(detail === undefined ? {} : { detail }),
});

const hasStatus = (payload: unknown): boolean =>
  typeof payload === 'object' && payload !== null && !Array.isArray(payload) && Object.hasOwn(payload, 'status');

const wrapped = (code: number, payload: unknown): SimulatedResponse =>
  json(code, hasStatus(payload) ? payload : { data: payload, status: statusOf(code) });

/** 200 with the envelope; a payload with a member `status` of its own stays bare (site contract, section 1). */
export const ok = (payload: unknown): SimulatedResponse => wrapped(200, payload);

/** 201 with the envelope. */
export const created = (payload: unknown): SimulatedResponse => wrapped(201, payload);

/** Response to a DELETE: 200 with code 204 in the body, or an empty 204. */
export const deleted = (kind: 'body' | 'empty'): SimulatedResponse =>
  kind === 'body' ? json(200, { data: null, status: statusOf(204) }) : { status: 204 };

/** 400 about members of a body: `{"value":["text"],"status":{..}}`. */
export const refused = (fields: Readonly<Record<string, readonly string[]>>): SimulatedResponse =>
  json(400, { ...fields, status: statusOf(400) });

/** 400 about items of an array body, an empty object for each good one. */
export const refusedItems = (items: readonly object[]): SimulatedResponse =>
  json(400, { data: items, status: statusOf(400) });

/** 409 about a record that exists. */
export const clash = (text: string): SimulatedResponse =>
  json(409, { data: { error_message: text }, status: statusOf(409) });

/** Any other refusal; it has only a status. */
export const failed = (code: number, detail?: string): SimulatedResponse =>
  json(code, { status: statusOf(code, detail) });

/** An HTML answer, as gateways and paths outside the API give. */
export const html = (status: number, body: string): SimulatedResponse => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body,
});

/** An HTML page that says only its status. */
export const htmlError = (status: number, title: string): SimulatedResponse =>
  html(status, `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`);
