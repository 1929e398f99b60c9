import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Context } from '@ranger-relay/runtime';

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * When the certificates of a PEM text stop serving, s since 1970; null when it holds none. A chain ends with the first certificate of it that expires,
 * a bundle of authorities with the last one.
 */
export const expirationOf = (text: string, kind: 'chain' | 'authorities'): number | null => {
  const ends = (text.match(pem) ?? []).map((each) => Date.parse(new X509Certificate(each).validTo) / 1_000);
  if (ends.length === 0) return null;
  return kind === 'chain' ? Math.min(...ends) : Math.max(...ends);
};

/** Variables that may name a file of certificates. */
type CertificateVariable = 'KAFKA_TLS_CA_FILE' | 'KAFKA_TLS_CERT_FILE' | 'KV_TLS_CA_FILE';

/** Shows at each scrape when the files that the variables name expire; they are read anew, since they are renewed in place. */
export const watchCertificates = (
  { metrics, log }: Pick<Context, 'metrics' | 'log'>,
  env: { readonly [name in CertificateVariable]?: string | undefined },
  variables: readonly CertificateVariable[],
): void => {
  const show = async (variable: CertificateVariable, file: string): Promise<void> => {
    const kind = variable === 'KAFKA_TLS_CERT_FILE' ? 'chain' : 'authorities';
    try {
      const expires = expirationOf(await readFile(file, 'utf8'), kind);
      if (expires !== null) metrics.set('relay_certificate_expiration_timestamp_seconds', expires, { variable });
    } catch (error) {
      log.debug({ err: error, variable }, 'the expiry of a certificate could not be read');
    }
  };
  metrics.onScrape(async () => {
    for (const variable of variables) {
      const file = env[variable];
      if (file !== undefined) await show(variable, file);
    }
  });
};
