import { text, url } from '../env/kinds.ts';
import type { Env, EnvTable } from '../env/table.ts';

/** Variables of tracing. Without an endpoint nothing is traced. */
export const tracingEnv = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    kind: url(),
    description:
      'Address of an OpenTelemetry collector that accepts OTLP over HTTP (JSON); spans are sent to /v1/traces below it',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    kind: url(),
    description: 'Complete address for spans, instead of OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    kind: text(10_000),
    secret: true,
    description: 'Headers for the collector, for example name=value,other=value',
  },
} as const satisfies EnvTable;

/** Parsed variables of tracing. */
export type TracingConfig = Env<typeof tracingEnv>;

/** Destination of spans; undefined when tracing is off. */
export const tracesUrl = (config: Partial<TracingConfig>): string | undefined => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = config;
  return whole ?? (base === undefined ? undefined : `${base}/v1/traces`);
};

/** Parses headers from their one-line form; ignores parts that are not `name=value`. */
export const tracesHeaders = (line = ''): Record<string, string> =>
  Object.fromEntries(
    line.split(',').flatMap((pair) => {
      const [, name = '', value = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      return name === '' ? [] : [[name, decoded(value)]];
    }),
  );

const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};
