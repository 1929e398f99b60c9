import type { ExecutionContext } from 'ava';
import { createClient, type Call, type Reply } from '../http/client.ts';
import { freshSite, type FreshSiteOptions, type SiteSimulator } from '../site/start.ts';

/** An answer of the site, taken apart. */
export interface SiteReply {
  /** Null when no whole answer came. */
  readonly status: number | null;
  readonly headers: Reply['headers'];
  readonly text: string;
  /** The body's JSON; undefined when it is none. */
  readonly json: Record<string, unknown> | undefined;
  /** Content of the envelope. */
  readonly data: unknown;
}

/** How one call differs from others. */
export interface SiteCall {
  /** Null: no token is sent; default the superuser's. */
  readonly token?: string | null;
  /** Sent as it is, in place of JSON. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** A fresh site and a caller. */
export interface SiteHarness {
  readonly site: SiteSimulator;
  /** Calls a path below `/api/v1.0/`, or a whole one that begins with `/`. */
  call(method: Call['method'], path: string, body?: unknown, more?: SiteCall): Promise<SiteReply>;
  get(path: string, more?: SiteCall): Promise<SiteReply>;
}

const parsed = (text: string): SiteReply['json'] => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
};

/** Starts a fresh site that ends with the test. */
export const startSiteHarness = async (t: ExecutionContext, options: FreshSiteOptions = {}): Promise<SiteHarness> => {
  const site = await freshSite(options);
  const client = createClient();
  t.teardown(async () => {
    client.close();
    await site.close();
  });
  const call: SiteHarness['call'] = async (method, path, body, more = {}) => {
    const { token = site.token, raw, headers = {}, timeoutMs = 10_000 } = more;
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const reply = await client.send({
      method,
      url: site.url + (path.startsWith('/') ? path : `/api/v1.0/${path}`),
      timeoutMs,
      headers: {
        accept: 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
    const json = parsed(reply.body);
    return { status: reply.status, headers: reply.headers, text: reply.body, json, data: json?.['data'] };
  };
  return { site, call, get: (path, more) => call('GET', path, undefined, more) };
};

/** Paths of the form. */
export const formPath = 'activity/patrols/segments/types/default/';

/** The empty envelope of a form. */
export const emptyForm = {
  json: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {},
    required: [],
    unevaluatedProperties: false,
  },
  ui: { fields: {}, headers: {}, order: [], sections: {} },
};

/** A form with one choice field. */
export const choiceForm = (field: string) => ({
  json: {
    ...emptyForm.json,
    properties: {
      mandate: {
        type: 'string',
        title: 'Mandate',
        description: '',
        deprecated: false,
        anyOf: [{ $ref: `/api/v2.0/schemas/choices.json?field=${field}` }],
      },
    },
  },
  ui: {
    fields: { mandate: { type: 'CHOICE_LIST', inputType: 'DROPDOWN', parent: 'section-ext' } },
    headers: {},
    order: ['section-ext'],
    sections: {
      'section-ext': {
        label: '',
        columns: 1,
        isActive: true,
        leftColumn: [{ name: 'mandate', type: 'field' }],
        rightColumn: [],
      },
    },
  },
});

/** A body that creates a choice. */
export const newChoice = (field: string, value: string, change: object = {}) => ({
  model: 'activity.event',
  field,
  value,
  display: value,
  is_active: true,
  ...change,
});

/** Rows of a list, paged or not. */
export const rowsOf = (reply: SiteReply): Record<string, unknown>[] =>
  (Array.isArray(reply.data) ? reply.data : (reply.data as { results: unknown[] }).results) as Record<
    string,
    unknown
  >[];
