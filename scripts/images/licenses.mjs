import { notices } from '../bundle/licenses.mjs';

const rule = `\n${'='.repeat(80)}\n\n`;

/**
 * Everything that an image must be handed on with.
 * @param {object} parts
 * @param {string} parts.own our own licence
 * @param {readonly string[]} parts.moduleIds what is in the bundles
 * @param {import('./node-package.mjs').NodePackage} parts.node
 * @param {readonly import('./system/packages.mjs').SystemPackage[]} parts.system
 */
export const licensesText = ({ own, moduleIds, node, system }) =>
  [
    `ranger-relay\n\n${own.trim()}\n`,
    `In the bundles\n\n${notices(moduleIds)}`,
    `Node ${node.version}\n\n${node.license.trim()}\n`,
    ...system.map(({ name, version, copyright }) => `${name} ${version}\n\n${copyright.trim()}\n`),
  ].join(rule);
