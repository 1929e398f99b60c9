import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { dashboardJson } from './dashboard.mjs';
import { runner } from './specs/action-runner.mjs';
import { pusher } from './specs/message-pusher.mjs';
import { forwarder } from './specs/observation-forwarder.mjs';
import { operator } from './specs/operator.mjs';
import { overview } from './specs/ranger-relay.mjs';
import { ingester } from './specs/webhook-ingester.mjs';

/** Every dashboard. */
export const dashboards = Object.freeze([overview, ingester, forwarder, pusher, runner, operator]);

/**
 * Every dashboard's file as it is (empty when it is not there) and as it should be.
 * @param {string} root
 * @returns {Promise<{ file: string, is: string, should: string }[]>}
 */
export const renderDashboards = (root) =>
  Promise.all(
    dashboards.map(async (dashboard) => {
      const file = `k8s/dashboards/${dashboard.name}.json`;
      const path = join(root, file);
      const is = existsSync(path) ? readFileSync(path, 'utf8') : '';
      const text = JSON.stringify(dashboardJson(dashboard));
      return { file, is, should: await format(text, { ...(await resolveConfig(path)), filepath: path }) };
    }),
  );
