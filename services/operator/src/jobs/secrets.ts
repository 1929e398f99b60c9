import { isRecord, type KubeObject } from '@ranger-relay/operator-kit';
import { siteAnnotation, siteLabel } from '../api/group.ts';
import type { SyncSpec } from '../api/sync-spec.ts';
import type { SecretProblem } from '../decide/observed.ts';

const hasScheme = /^https?:\/\//i;
const apiOnward = /\/+(?:api(?:\/.*)?)?$/;
/** Form of the value of a label. */
const labelValue = /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/;

const urlOf = (endpoint: string): URL | null => URL.parse(hasScheme.test(endpoint) ? endpoint : `https://${endpoint}`);

/** One text for each site, however its endpoint is written; undefined for what is no endpoint. */
const canonical = (endpoint: string): string | undefined => {
  const url = urlOf(endpoint.trim());
  return url ? `${url.origin}${url.pathname.replace(apiOnward, '')}` : undefined;
};

/** The host that a label can name: of a site behind HTTPS on its usual port. */
const labelHost = (endpoint: string): string | undefined => {
  const url = urlOf(endpoint);
  return url?.protocol === 'https:' && url.port === '' && labelValue.test(url.host) ? url.host : undefined;
};

/** Whether whoever may write a Secret has allowed it for an endpoint: else whoever may write a PatrolSync could send any Secret anywhere. */
const isAllowed = ({ metadata: { labels, annotations } }: KubeObject, endpoint: string): boolean => {
  const host = labelHost(endpoint);
  if (host !== undefined && labels?.[siteLabel] === host) return true;
  const allowed = annotations?.[siteAnnotation];
  return allowed !== undefined && canonical(allowed) === canonical(endpoint);
};

/** How a person allows a Secret for an endpoint; a label that names another host stays. */
const askAllow = ({ metadata: { name, namespace, labels } }: KubeObject, endpoint: string): string => {
  const host = labels?.[siteLabel] === undefined ? labelHost(endpoint) : undefined;
  const secret = `secret ${name} -n ${namespace}`;
  return host === undefined
    ? `kubectl annotate ${secret} ${siteAnnotation}=${endpoint} --overwrite`
    : `kubectl label ${secret} ${siteLabel}=${host}`;
};

/** Why a Job may not use a key of a Secret for an endpoint; undefined when it may. The value of the key is not looked at. Pure. */
export const secretProblem = (
  secret: KubeObject | undefined,
  { name, key }: SyncSpec['site']['token'],
  endpoint: string,
): SecretProblem | undefined => {
  if (!secret) return { reason: 'SecretMissing', message: `There is no Secret ${name}` };
  if (!isAllowed(secret, endpoint))
    return {
      reason: 'SecretNotAllowed',
      message: `The Secret ${name} is not allowed for ${endpoint}. To allow it: ${askAllow(secret, endpoint)}`,
    };
  if (isRecord(secret['data']) && key in secret['data']) return undefined;
  return { reason: 'SecretMissing', message: `The Secret ${name} has no key ${key}` };
};
