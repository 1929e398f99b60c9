const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The payload of a body: its `data` when it has such a member, else the body itself (site contract, 1, envelope). */
export const unwrap = (body: unknown): unknown => (isObject(body) && Object.hasOwn(body, 'data') ? body['data'] : body);

export { isObject };
