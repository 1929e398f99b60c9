import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/** How Node runs a service in its image. */
export const asInImage = ['--max-semi-space-size=6', '--optimize-for-size'];

/** Bundles a file beside this one, as the services are bundled. Returns the address of the bundle. */
export const bundled = async (file: string): Promise<string> => {
  const build = await rolldown({
    input: fileURLToPath(new URL(file, import.meta.url)),
    platform: 'node',
    resolve: { conditionNames: ['@ranger-relay/source', 'node', 'import', 'default'] },
  });
  const path = fileURLToPath(new URL(`../../out/${file.replace(/\.ts$/, '.js')}`, import.meta.url));
  await build.write({ file: path, format: 'esm', codeSplitting: false });
  await build.close();
  return pathToFileURL(path).href;
};
