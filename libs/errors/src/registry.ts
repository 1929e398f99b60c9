import type { ErrorEntry } from './entry.ts';
import { actionErrors } from './registry/actions.ts';
import { bundleErrors } from './registry/bundle.ts';
import { busErrors } from './registry/bus.ts';
import { cliErrors } from './registry/cli.ts';
import { commonErrors } from './registry/common.ts';
import { httpErrors } from './registry/http.ts';
import { kubeErrors } from './registry/kube.ts';
import { kvErrors } from './registry/kv.ts';
import { platformErrors } from './registry/platform.ts';
import { siteErrors } from './registry/site.ts';
import { storeErrors } from './registry/store.ts';
import { syncErrors } from './registry/sync.ts';
import { vendorErrors } from './registry/vendor.ts';
import { webhookErrors } from './registry/webhook.ts';

/** Every failure that the product can report, by code. The parts follow the libraries. */
export const registry = Object.freeze({
  ...commonErrors,
  ...storeErrors,
  ...busErrors,
  ...kvErrors,
  ...httpErrors,
  ...platformErrors,
  ...webhookErrors,
  ...vendorErrors,
  ...actionErrors,
  ...siteErrors,
  ...bundleErrors,
  ...syncErrors,
  ...cliErrors,
  ...kubeErrors,
});

export type ErrorCode = keyof typeof registry;

/** Looks up the entry of a code. */
export const entryOf = (code: ErrorCode): ErrorEntry => registry[code];
