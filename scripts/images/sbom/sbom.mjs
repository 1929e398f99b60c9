import { createHash } from 'node:crypto';
import { licensesOf, nodeComponent, packageComponent, systemComponent } from './components.mjs';
import { dependenciesOf, lockedAt } from './lock.mjs';

/** @typedef {import('./components.mjs').Component} Component @typedef {import('./lock.mjs').Lock} Lock */

/**
 * What an image holds.
 * @typedef {object} Contents
 * @property {{ name: string, description: string, folder: string }} image
 * @property {string} created ISO time
 * @property {Lock} lock `packages` of the lockfile
 * @property {readonly string[]} bundled keys of the lockfile
 * @property {import('../node-package.mjs').NodePackage} node
 * @property {string} nodeHash SHA-256 of its binary in the image, in hex
 * @property {readonly import('../system.mjs').SystemPackage[]} system empty when the base is another's
 * @property {string} distribution like `debian-12`
 */

/** An id that follows from the content. @param {string} content */
const serialOf = (content) => {
  const hex = createHash('sha256').update(content).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** @param {Component} component */
const refOf = (component) => component['bom-ref'] ?? component.name;

/**
 * Which part needs which.
 * @param {Lock} lock
 * @param {ReadonlyMap<string, string>} refs of the parts by key; two keys may have one
 * @returns {{ ref: string, dependsOn: string[] }[]}
 */
const needsOf = (lock, refs) => {
  /** @type {Map<string, Set<string>>} */
  const needs = new Map([...refs.values()].map((ref) => [ref, new Set()]));
  for (const [key, ref] of refs)
    for (const other of dependenciesOf(lock, key)) {
      const needed = refs.get(other);
      if (needed !== undefined) needs.get(ref)?.add(needed);
    }
  return [...needs].map(([ref, its]) => ({ ref, dependsOn: [...its].sort() }));
};

/** @param {string} image @param {ReturnType<typeof needsOf>} needs @param {Component} node @param {readonly Component[]} system */
const edgesOf = (image, needs, node, system) => {
  const needed = new Set(needs.flatMap(({ dependsOn }) => dependsOn));
  const tops = needs.map(({ ref }) => ref).filter((ref) => !needed.has(ref));
  return [
    { ref: image, dependsOn: [...tops, refOf(node)] },
    ...needs,
    { ref: refOf(node), dependsOn: system.map(refOf) },
    ...system.map((each) => ({ ref: refOf(each), dependsOn: [] })),
  ];
};

/**
 * The bill of materials of an image: CycloneDX 1.6, JSON. The same contents give the same text,
 * which CycloneDX's own library does not promise: it gives random names to parts without one.
 * @param {Contents} contents
 * @throws when something in a bundle is not in the lockfile
 */
export const sbomOf = (contents) => {
  const { image, created, lock, bundled, node, nodeHash, system, distribution } = contents;
  const { version = '', license } = lockedAt(lock, image.folder);
  const parts = new Map(bundled.map((key) => [key, packageComponent(lock, key)]));
  const refs = new Map([...parts].map(([key, component]) => [key, refOf(component)]));
  const platform = nodeComponent(node, nodeHash);
  const libraries = system.map((each) => systemComponent(distribution, each));
  const ref = `image:${image.name}@${version}`;
  const content = {
    metadata: {
      timestamp: created,
      component: {
        type: 'container',
        'bom-ref': ref,
        name: image.name,
        version,
        description: image.description,
        ...licensesOf(license),
      },
    },
    components: [...new Map([...parts.values()].map((part) => [refOf(part), part])).values(), platform, ...libraries],
    dependencies: edgesOf(ref, needsOf(lock, refs), platform, libraries),
  };
  const head = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialOf(JSON.stringify(content)),
    version: 1,
  };
  return `${JSON.stringify({ ...head, ...content }, undefined, 1)}\n`;
};
