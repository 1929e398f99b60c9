/** From the sources as they are, or from the bundle with the flags of an installation (`npm run bundle` makes it). */
export type Form = 'sources' | 'bundle';

/** Default form of the product: sources, which are never stale, or with PRODUCT_FORM=bundle the bundles, which start in half the time. */
export const usualForm: Form = process.env['PRODUCT_FORM'] === 'bundle' ? 'bundle' : 'sources';

/** A program of the product; paths from the root of the checkout. */
export interface Program {
  readonly folder: string;
  readonly name: string;
  /** Flags that the bundle is started with. */
  readonly flags: readonly string[];
}

/** Arguments of Node for a program: flags of the form, then those of the caller, then the main file. */
export const commandOf = (
  { folder, name, flags }: Program,
  form: Form = usualForm,
  more: readonly string[] = [],
): readonly string[] =>
  form === 'bundle'
    ? [...flags, ...more, `${folder}/dist/${name}.js`]
    : ['--conditions=@ranger-relay/source', ...more, `${folder}/src/main.ts`];

/** A service that runs alone: V8 sizes its heap for machines with much memory, and lets it grow fourfold before it cleans up. */
export const serviceProgram = (name: string): Program => ({
  folder: `services/${name}`,
  name,
  flags: ['--optimize-for-size'],
});
