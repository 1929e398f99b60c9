{{/* The pod of a component: Pod Security restricted, one writable folder, Secrets as files. */}}
{{- define "ranger-relay.podTemplate" -}}
metadata:
  labels:
    {{- include "ranger-relay.podLabels" . | nindent 4 }}
  {{- with merge (deepCopy (.values.podAnnotations | default dict)) (.values.commonAnnotations | default dict) }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- include "ranger-relay.podSpec" . | nindent 2 }}
{{- end -}}

{{- define "ranger-relay.podSpec" -}}
{{- $values := .values -}}
{{- $account := $values.serviceAccount }}
{{- /* A short-lived pod may run before the installation, when the accounts of the release do not exist yet. */}}
serviceAccountName: {{ ternary (include "ranger-relay.serviceAccountName" .) (ternary "default" ($account.name | default "default") $account.create) (hasKey . "handlerSeconds") }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- if .restartPolicy }}
restartPolicy: {{ .restartPolicy }}
{{- end }}
terminationGracePeriodSeconds: {{ ternary (include "ranger-relay.gracePeriod" .) "10" (hasKey . "handlerSeconds") }}
securityContext:
  runAsNonRoot: true
  {{- /* OpenShift assigns user IDs to each namespace and refuses others. */}}
  {{- if not (or $values.assignedUser (.Capabilities.APIVersions.Has "security.openshift.io/v1")) }}
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  {{- end }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- range $key := list "nodeSelector" "tolerations" "priorityClassName" "imagePullSecrets" "hostAliases" }}
{{- with get $values $key }}
{{ toYaml (dict $key .) }}
{{- end }}
{{- end }}
{{- with include "ranger-relay.affinity" . }}
affinity:
  {{- . | nindent 2 }}
{{- end }}
{{- if and (has .key (list "ingester" "forwarder" "pusher" "runner")) $values.topologySpread.enabled }}
topologySpreadConstraints:
  {{- /* Zones are only preferred: a required zone would exclude nodes without one. */}}
  {{- range $key, $when := dict "kubernetes.io/hostname" $values.topologySpread.whenUnsatisfiable "topology.kubernetes.io/zone" "ScheduleAnyway" }}
  - topologyKey: {{ $key }}
    maxSkew: {{ include "ranger-relay.text" $values.topologySpread.maxSkew }}
    whenUnsatisfiable: {{ $when }}
    labelSelector:
      matchLabels:
        {{- include "ranger-relay.selectorLabels" $ | nindent 8 }}
  {{- end }}
{{- end }}
{{- with $values.initContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - {{ include "ranger-relay.container" . | nindent 4 | trim }}
  {{- with $values.extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: {{ index $values.resources.limits "ephemeral-storage" | include "ranger-relay.text" }}
  {{- if .mounts }}
  - name: secrets
    {{- /* Without sub-paths, so that a changed Secret reaches the pod. */}}
    projected:
      defaultMode: 288 # 0440
      sources:
        {{- range $name, $ref := .mounts }}
        - {{ ternary "configMap" "secret" (eq ($ref.kind | default "Secret") "ConfigMap") }}:
            name: {{ $ref.name }}
            items:
              - key: {{ $ref.key | quote }}
                path: {{ $name }}
        {{- end }}
  {{- end }}
  {{- with .volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with $values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* The given affinity; otherwise pods of a component prefer different nodes. */}}
{{- define "ranger-relay.affinity" -}}
{{- if .values.affinity -}}
{{- toYaml .values.affinity -}}
{{- else if has .key (list "ingester" "forwarder" "pusher" "runner") -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "ranger-relay.selectorLabels" . | nindent 12 }}
{{- end -}}
{{- end -}}

{{- define "ranger-relay.container" -}}
{{- $values := .values -}}
name: {{ .name }}
image: {{ include "ranger-relay.image" . }}
imagePullPolicy: {{ $values.image.pullPolicy }}
command:
  - /usr/local/bin/node
args:
  - --max-old-space-size={{ include "ranger-relay.heap" . }}
  - --max-semi-space-size=6
  - --optimize-for-size
  {{- range .args }}
  - {{ . | quote }}
  {{- end }}
env:
  {{- include "ranger-relay.env" . | trim | nindent 2 }}
{{- with $values.envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "ranger-relay.ports" . | fromYaml }}
ports:
  {{- range $name, $port := . }}
  - name: {{ $name }}
    containerPort: {{ include "ranger-relay.text" $port }}
    protocol: TCP
  {{- end }}
{{- end }}
{{- if .handlerSeconds }}
{{- range $probe, $path := dict "startup" "/livez" "readiness" "/readyz" "liveness" "/livez" }}
{{ $probe }}Probe:
  httpGet:
    path: {{ $path }}
    {{- /* The one process has a port for each service; that of the ingester reports the readiness of all. */}}
    port: {{ ternary "http" "health" (and (eq $.key "embedded") (ne $probe "liveness")) }}
  {{- toYaml (get $values.probes $probe) | nindent 2 }}
{{- end }}
{{- with $values.preStopSeconds }}
lifecycle:
  preStop:
    sleep:
      seconds: {{ include "ranger-relay.text" . }}
{{- end }}
{{- else }}
terminationMessagePolicy: FallbackToLogsOnError
{{- end }}
resources:
  {{- range $kind := list "requests" "limits" }}
  {{ $kind }}:
    {{- range $name, $quantity := get $values.resources $kind }}
    {{- if not (kindIs "invalid" $quantity) }}
    {{ $name }}: {{ include "ranger-relay.text" $quantity }}
    {{- end }}
    {{- end }}
  {{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  capabilities:
    drop:
      - ALL
volumeMounts:
  - name: tmp
    mountPath: /tmp
  {{- if .mounts }}
  - name: secrets
    mountPath: /etc/ranger-relay/secrets
    readOnly: true
  {{- end }}
  {{- if or .volumes (eq .key "embedded") }}
  - name: data
    mountPath: /data
  {{- end }}
  {{- with $values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Ports of the container by name. */}}
{{- define "ranger-relay.ports" -}}
{{- if eq .key "embedded" -}}
http: 8081
pusher: 8082
runner: 8083
health: 8084
{{- else if .handlerSeconds -}}
{{- if .requestSeconds -}}
http: {{ include "ranger-relay.text" .values.ports.http }}
{{ end -}}
health: {{ include "ranger-relay.text" .values.ports.health }}
{{- end -}}
{{- end -}}
