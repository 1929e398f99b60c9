{{/*
Variables of a component as YAML: `env` with texts, `mounts` with references {name, key, kind} to Secrets and ConfigMaps. `config` and
`secrets` take precedence over other settings. Each name that a setting sets begins a line: cli/relay/src/config/chart-values.test.ts takes
them for the variables that values.yaml need not show.
*/}}
{{- define "ranger-relay.variables" -}}
{{- $c := . -}}
{{- $env := deepCopy (.values.config | default dict) -}}
{{- $mounts := deepCopy (.values.secrets | default dict) -}}
{{- include "ranger-relay.fill" (list $env (include "ranger-relay.env.component" . | fromYaml)) -}}
{{- range .sections -}}
{{- include "ranger-relay.fill" (list $env (include (printf "ranger-relay.env.%s" .) $c.values | fromYaml)) -}}
{{- include "ranger-relay.fill" (list $mounts (include (printf "ranger-relay.mounts.%s" .) $c.values | fromYaml)) -}}
{{- end -}}
{{- /* Required variables come from the Secret `secretName` unless something else sets them. */}}
{{- range include "ranger-relay.requiredSecrets" (list . $env) | splitList "," | compact -}}
{{- if and $c.values.secretName (not (get $mounts .)) -}}
{{- $_ := set $mounts . (dict "name" $c.values.secretName "key" .) -}}
{{- end -}}
{{- end -}}
env:
  {{- range $name, $value := $env }}
  {{- $text := include "ranger-relay.text" $value }}
  {{- if not (or (kindIs "invalid" $value) (eq $text "") (get $mounts $name)) }}
  {{ $name }}: {{ $text | quote }}
  {{- end }}
  {{- end }}
mounts:
  {{- range $name, $ref := $mounts }}
  {{- if $ref }}
  {{ $name }}: {{ toJson $ref }}
  {{- end }}
  {{- end }}
{{- end -}}

{{- define "ranger-relay.env.component" -}}
MALLOC_ARENA_MAX: '1'
{{- if .handlerSeconds }}
STOP_GRACE_S: {{ sub (include "ranger-relay.gracePeriod" . | int64) (add 5 (int64 .values.preStopSeconds)) | quote }}
{{- end }}
{{- if eq .key "embedded" }}
HOST: '::'
DATA_DIR: /data
INGESTER_PORT: '8081'
PUSHER_PORT: '8082'
RUNNER_PORT: '8083'
FORWARDER_PORT: '8084'
{{- else if .requestSeconds }}
PORT: {{ int64 .values.ports.http | quote }}
HEALTH_PORT: {{ int64 .values.ports.health | quote }}
{{- else if .handlerSeconds }}
PORT: {{ int64 .values.ports.health | quote }}
{{- end }}
{{- end -}}

{{- define "ranger-relay.brokers" -}}
{{- regexSplit "\\s*,\\s*" (trim .kafka.brokers) -1 | compact | join "," -}}
{{- end -}}

{{- define "ranger-relay.env.kafka" -}}
{{- with .kafka -}}
{{- if .brokers -}}
KAFKA_BROKERS: {{ include "ranger-relay.brokers" $ | quote }}
KAFKA_PREFIX: {{ .prefix | quote }}
KAFKA_SESSION_TIMEOUT_MS: {{ int64 .sessionTimeoutMs | quote }}
KAFKA_TLS: {{ .tls.enabled | quote }}
KAFKA_SASL_MECHANISM: {{ .sasl.mechanism }}
KAFKA_SASL_USERNAME: {{ .sasl.username | quote }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "ranger-relay.mounts.kafka" -}}
{{- with .kafka -}}
KAFKA_TLS_CA_FILE: {{ toJson .tls.ca }}
{{- with .tls.certificate }}
KAFKA_TLS_CERT_FILE: {{ dict "name" .name "key" (.certKey | default "tls.crt") | toJson }}
KAFKA_TLS_KEY_FILE: {{ dict "name" .name "key" (.keyKey | default "tls.key") | toJson }}
{{- end }}
KAFKA_SASL_PASSWORD: {{ toJson .sasl.password }}
{{- end -}}
{{- end -}}

{{- define "ranger-relay.env.redis" -}}
{{- with .redis -}}
{{- if or .host .sentinels.nodes -}}
KV_HOST: {{ .host | quote }}
KV_PORT: {{ int64 .port | quote }}
KV_USERNAME: {{ .username | quote }}
KV_STATE_DB: {{ int64 .databases.state | quote }}
KV_CONFIGS_DB: {{ int64 .databases.config | quote }}
KV_TLS: {{ .tls.enabled | quote }}
{{- with .sentinels.nodes }}
KV_SENTINELS: {{ . | quote }}
KV_SENTINEL_MASTER: {{ $.redis.sentinels.master | quote }}
KV_SENTINEL_USERNAME: {{ $.redis.sentinels.username | quote }}
{{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "ranger-relay.mounts.redis" -}}
KV_PASSWORD: {{ toJson .redis.password }}
KV_TLS_CA_FILE: {{ toJson .redis.tls.ca }}
KV_SENTINEL_PASSWORD: {{ toJson .redis.sentinels.password }}
{{- end -}}

{{- define "ranger-relay.env.platform" -}}
{{- with .platform -}}
PLATFORM_API_BASE_URL: {{ .apiUrl | quote }}
PLATFORM_SENSORS_BASE_URL: {{ .sensorsUrl | quote }}
PLATFORM_TOKEN_URL: {{ .tokenUrl | quote }}
PLATFORM_CLIENT_ID: {{ .clientId | quote }}
PLATFORM_AUDIENCE: {{ .audience | quote }}
PLATFORM_GRANT: {{ .grant | quote }}
{{- end -}}
{{- end -}}

{{- define "ranger-relay.mounts.platform" -}}
PLATFORM_CLIENT_SECRET: {{ toJson .platform.clientSecret }}
{{- end -}}

{{/* Names of the secret variables that a component requires: component, its variables. */}}
{{- define "ranger-relay.requiredSecrets" -}}
{{- $c := index . 0 -}}
{{- $env := index . 1 -}}
{{- $names := list -}}
{{- if $env.PLATFORM_API_BASE_URL -}}{{- $names = append $names "PLATFORM_CLIENT_SECRET" -}}{{- end -}}
{{- if ne ($env.KAFKA_SASL_MECHANISM | default "none") "none" -}}{{- $names = append $names "KAFKA_SASL_PASSWORD" -}}{{- end -}}
{{- if $env.KV_USERNAME -}}{{- $names = append $names "KV_PASSWORD" -}}{{- end -}}
{{- if $env.KV_SENTINEL_USERNAME -}}{{- $names = append $names "KV_SENTINEL_PASSWORD" -}}{{- end -}}
{{- if or (ne $c.key "embedded") $env.PLATFORM_API_BASE_URL -}}
{{- if eq ($c.values.config.WEBHOOK_AUTH | default "") "token" -}}{{- $names = append $names "WEBHOOK_TOKENS_FILE" -}}{{- end -}}
{{- if eq ($c.values.config.AUTH_MODE | default "") "bearer" -}}{{- $names = append $names "AUTH_TOKEN" -}}{{- end -}}
{{- end -}}
{{- join "," $names -}}
{{- end -}}

{{/* A text in the environment or the arguments of a container: the kubelet replaces $(NAME), and $$ by $. */}}
{{- define "ranger-relay.literal" -}}
{{- include "ranger-relay.text" . | replace "$" "$$" | quote -}}
{{- end -}}

{{/* env of a container. A mounted secret is passed as NAME_FILE, which every program reads. */}}
{{- define "ranger-relay.env" -}}
{{- $env := deepCopy .env -}}
{{- range $name, $_ := .mounts -}}
{{- $_ := set $env (ternary $name (printf "%s_FILE" $name) (hasSuffix "_FILE" $name)) (printf "/etc/ranger-relay/secrets/%s" $name) -}}
{{- end -}}
{{- range $name, $value := $env }}
- name: {{ $name }}
  value: {{ include "ranger-relay.literal" $value }}
{{- end }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
