import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/**
 * @typedef {{ alert: string, expr: string, for?: string, labels: Record<string, string>, annotations: Record<string, string> }} Alert
 * @typedef {{ file: string, name: string, rules: Alert[] }} RuleGroup
 * @typedef {{ file: string, name: string, alert: string, fires: boolean }} AlertCase
 */

const yamlIn = (/** @type {string} */ folder) => readdirSync(folder).filter((name) => name.endsWith('.yaml'));

/**
 * The groups of every rule file.
 * @param {string} root
 * @returns {RuleGroup[]}
 */
export const readRuleGroups = (root) => {
  const folder = join(root, 'k8s/alerts');
  return yamlIn(folder).flatMap((file) =>
    parse(readFileSync(join(folder, file), 'utf8')).groups.map(
      (/** @type {Omit<RuleGroup, 'file'>} */ { name, rules }) => ({ file, name, rules }),
    ),
  );
};

/**
 * What the unit tests of the alerts look at.
 * @param {string} root
 * @returns {AlertCase[]}
 */
export const readAlertCases = (root) => {
  const folder = join(root, 'k8s/alerts/tests');
  return yamlIn(folder).flatMap((file) =>
    parse(readFileSync(join(folder, file), 'utf8')).tests.flatMap(
      (/** @type {any} */ { name, alert_rule_test: cases }) =>
        cases.map((/** @type {any} */ { alertname, exp_alerts: alerts }) => ({
          file,
          name,
          alert: alertname,
          fires: alerts.length > 0,
        })),
    ),
  );
};
