/** A certificate for loopback, with its key; no authority signs it, and it is valid until 2120. */
export const loopbackTls = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBZTCCAQugAwIBAgIBATAKBggqhkjOPQQDAjATMREwDwYDVQQDDAhsb29wYmFj
azAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowEzERMA8GA1UEAwwI
bG9vcGJhY2swWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATiW6TiA1vEDihkkkgL
PQ/LzHFxv0chKZ/Lx4hzrBaAGbY7csYe2zCPbm5TmgwUOtDwE9jP2sjgR/5P1taj
fUgeo04wTDAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwDwYDVR0TAQH/BAUw
AwEB/zAdBgNVHQ4EFgQUpgtqHb7Ap7deoVQ865mC+tQcxWkwCgYIKoZIzj0EAwID
SAAwRQIgKDhRjUvKrhmUaToTeByE+QvxcmD0SDPnOsJ+M26ZkTgCIQDyyUW47Fj6
kkzI+eW1d+iiAAH0YaYK8WaGibUVqfymDg==
-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgiZgPmjfXAme8Eabo
iP2A6JpWhRM/Y1m/zG2GldEna8KhRANCAATiW6TiA1vEDihkkkgLPQ/LzHFxv0ch
KZ/Lx4hzrBaAGbY7csYe2zCPbm5TmgwUOtDwE9jP2sjgR/5P1tajfUge
-----END PRIVATE KEY-----`,
};
