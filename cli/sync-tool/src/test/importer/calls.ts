/** The site as the importer calls it. */
export interface ImportSite {
  readonly url: string;
  readonly token: string;
}

/** A row of the site. */
export type Row = Readonly<Record<string, unknown>>;

/** An answer without its envelope. */
export interface Answer {
  readonly status: number;
  readonly data: unknown;
}

const rowsIn = (data: unknown): readonly Row[] => {
  const rows = Array.isArray(data) ? data : (data as { results?: unknown } | null)?.results;
  return Array.isArray(rows) ? (rows as Row[]) : [];
};

/** Requests as the importer makes them: no `Accept`, no last slash, whole lists (contract of the site, additions, 1). */
export const callsTo = ({ url, token }: ImportSite) => {
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(new URL(path, `${url}/api/v1.0/`), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const value: unknown = text === '' ? null : JSON.parse(text);
    const hasData = typeof value === 'object' && value !== null && 'data' in value;
    return { status: response.status, data: hasData ? value.data : value };
  };
  /** The answer of a call that must succeed. */
  const must = async (method: string, path: string, body?: unknown): Promise<Row> => {
    const { status, data } = await call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(data)}`);
    return data as Row;
  };
  return {
    call,
    must,
    /** The rows of a list; none where the site refuses it. */
    rows: async (path: string): Promise<readonly Row[]> => {
      const { status, data } = await call('GET', path);
      return status === 200 ? rowsIn(data) : [];
    },
  };
};

/** Requests to a site. */
export type ImportCalls = ReturnType<typeof callsTo>;
