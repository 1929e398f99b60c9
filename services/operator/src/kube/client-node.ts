/** What the operator uses of client-node: loaded on demand, and in a file of its own beside `ranger-relay`, for whose start it is too large. */
export {
  BatchV1Api,
  CoordinationV1Api,
  CoreV1Api,
  createConfiguration,
  CustomObjectsApi,
  IsomorphicFetchHttpLibrary,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  ServerConfiguration,
  setHeaderOptions,
  wrapHttpLibrary,
} from '@kubernetes/client-node';
