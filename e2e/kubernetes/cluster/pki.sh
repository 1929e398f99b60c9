# Keys and certificates of one life of the cluster. Source it after lib.sh; do not run it.

ssl() { openssl "$@" 2>"$LOG/openssl.log" || die "openssl $1 failed: $(tail -n 1 "$LOG/openssl.log")"; }
make_key() { ssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }

# make_cert NAME SUBJECT USAGE [NAMES]: signed by the cluster's own authority.
make_cert() {
  make_key "$1"
  ssl req -new -key "$1.key" -subj "$2" -out "$1.csr"
  printf 'keyUsage=critical,digitalSignature\nextendedKeyUsage=%s\n%s' "$3" "${4:+subjectAltName=$4}" >"$1.ext"
  ssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile "$1.ext" -out "$1.crt"
  rm "$1.csr" "$1.ext"
}

# make_kubeconfig USER: how a user reaches the API.
make_kubeconfig() {
  local encoded=(base64 -w0)
  (umask 077; cat >"$RUN/$1.kubeconfig" <<Y
apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "https://$NODE_IP:6443", certificate-authority-data: $("${encoded[@]}" ca.crt)}}]
users: [{name: u, user: {client-certificate-data: $("${encoded[@]}" "$1.crt"), client-key-data: $("${encoded[@]}" "$1.key")}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
Y
  )
}

make_pki() {
  local place
  place=$(pwd)
  cd "$RUN/pki"
  make_key ca
  ssl req -x509 -new -key ca.key -subj /CN=ranger-relay-test-ca -days 30 -out ca.crt
  make_key sa
  ssl ec -in sa.key -pubout -out sa.pub
  local service=kubernetes.default.svc
  make_cert apiserver /CN=kube-apiserver serverAuth \
    "IP:127.0.0.1,IP:$NODE_IP,IP:$API_SVC_IP,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:$service,DNS:$service.cluster.local"
  make_cert apiserver-kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client clientAuth
  make_cert kubelet-server "/CN=$NODE" serverAuth "IP:$NODE_IP,DNS:$NODE"
  make_cert admin /O=system:masters/CN=admin clientAuth
  make_cert controller-manager /CN=system:kube-controller-manager clientAuth
  make_cert scheduler /CN=system:kube-scheduler clientAuth
  make_cert kubelet "/O=system:nodes/CN=system:node:$NODE" clientAuth
  make_cert kube-proxy /O=system:node-proxier/CN=system:kube-proxy clientAuth
  local user
  for user in admin controller-manager scheduler kubelet kube-proxy; do make_kubeconfig "$user"; done
  cd "$place"
}
