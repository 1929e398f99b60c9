{{/*
Variables of the connections of a component, by name; `config` takes precedence. cli/relay/src/config/chart-values.test.ts takes the names at the
beginning of a line for those that values.yaml need not show.
*/}}
{{- define "ranger-relay.variables" -}}
{{- $variables := dict -}}
{{- range .connections -}}
{{- $variables = merge $variables (include (printf "ranger-relay.%s" .) (get $.Values .) | fromYaml) -}}
{{- end -}}
{{- mergeOverwrite $variables (.Values.config | default dict) | toYaml -}}
{{- end -}}

{{- define "ranger-relay.kafka" -}}
{{- if .brokers -}}
KAFKA_BROKERS: {{ include "ranger-relay.brokers" . | quote }}
KAFKA_PREFIX: {{ .prefix | quote }}
KAFKA_SESSION_TIMEOUT_MS: {{ int64 .sessionTimeoutMs | quote }}
KAFKA_TLS: {{ .tls.enabled | quote }}
KAFKA_SASL_MECHANISM: {{ .sasl.mechanism }}
KAFKA_SASL_USERNAME: {{ .sasl.username | quote }}
{{- end -}}
{{- end -}}

{{- define "ranger-relay.redis" -}}
{{- if or .host .sentinels.nodes -}}
KV_HOST: {{ .host | quote }}
KV_PORT: {{ int64 .port | quote }}
KV_USERNAME: {{ .username | quote }}
KV_STATE_DB: {{ int64 .databases.state | quote }}
KV_CONFIGS_DB: {{ int64 .databases.config | quote }}
KV_TLS: {{ .tls.enabled | quote }}
{{- if .sentinels.nodes }}
KV_SENTINELS: {{ .sentinels.nodes | quote }}
KV_SENTINEL_MASTER: {{ .sentinels.master | quote }}
KV_SENTINEL_USERNAME: {{ .sentinels.username | quote }}
{{- end }}
{{- end -}}
{{- end -}}

{{- define "ranger-relay.platform" -}}
PLATFORM_API_BASE_URL: {{ .apiUrl | quote }}
PLATFORM_SENSORS_BASE_URL: {{ .sensorsUrl | quote }}
PLATFORM_TOKEN_URL: {{ .tokenUrl | quote }}
PLATFORM_CLIENT_ID: {{ .clientId | quote }}
PLATFORM_AUDIENCE: {{ .audience | quote }}
PLATFORM_GRANT: {{ .grant | quote }}
{{- end -}}

{{/* Brokers without spaces and line ends. */}}
{{- define "ranger-relay.brokers" -}}
{{- regexSplit "\\s*,\\s*" (trim .brokers) -1 | compact | join "," -}}
{{- end -}}

{{/*
Variables that come from Secrets and ConfigMaps as files, with their references {name, key, kind}. A component's own reference is taken whole.
*/}}
{{- define "ranger-relay.secrets" -}}
{{- $own := .own -}}
{{- $all := .Values -}}
{{- $refs := dict -}}
{{- range $name, $ref := $all.secrets -}}
{{- with get ($own.secrets | default dict) $name | default $ref }}{{ $_ := set $refs $name . }}{{ end -}}
{{- end -}}
{{- $certificate := (($own.kafka).tls).certificate | default $all.kafka.tls.certificate | default dict -}}
{{- $settings := dict
  "kafka" (dict
    "KAFKA_TLS_CA_FILE" ((($own.kafka).tls).ca | default $all.kafka.tls.ca)
    "KAFKA_TLS_CERT_FILE" (dict "name" $certificate.name "key" ($certificate.certKey | default "tls.crt"))
    "KAFKA_TLS_KEY_FILE" (dict "name" $certificate.name "key" ($certificate.keyKey | default "tls.key"))
    "KAFKA_SASL_PASSWORD" ((($own.kafka).sasl).password | default $all.kafka.sasl.password))
  "redis" (dict
    "KV_PASSWORD" (($own.redis).password | default $all.redis.password)
    "KV_TLS_CA_FILE" ((($own.redis).tls).ca | default $all.redis.tls.ca)
    "KV_SENTINEL_PASSWORD" ((($own.redis).sentinels).password | default $all.redis.sentinels.password))
  "platform" (dict "PLATFORM_CLIENT_SECRET" (($own.platform).clientSecret | default $all.platform.clientSecret)) -}}
{{- range .connections -}}
{{- range $name, $ref := get $settings . -}}
{{- if and ($ref).name (not (get $refs $name)) }}{{ $_ := set $refs $name $ref }}{{ end -}}
{{- end -}}
{{- end -}}
{{- /* What a component requires and nothing else sets comes from the Secret `secretName`. */ -}}
{{- $env := include "ranger-relay.variables" . | fromYaml -}}
{{- $serves := or (ne .key "embedded") $env.PLATFORM_API_BASE_URL -}}
{{- $needs := dict
  "PLATFORM_CLIENT_SECRET" $env.PLATFORM_API_BASE_URL
  "KAFKA_SASL_PASSWORD" (ne ($env.KAFKA_SASL_MECHANISM | default "none") "none")
  "KV_PASSWORD" $env.KV_USERNAME
  "KV_SENTINEL_PASSWORD" $env.KV_SENTINEL_USERNAME
  "WEBHOOK_TOKENS_FILE" (and (has .key (list "ingester" "embedded")) $serves (eq $env.WEBHOOK_AUTH "token"))
  "AUTH_TOKEN" (and (has .key (list "pusher" "runner" "embedded")) $serves (eq $env.AUTH_MODE "bearer")) -}}
{{- range $name, $needed := $needs -}}
{{- if and $needed $all.secretName (not (get $refs $name)) }}{{ $_ := set $refs $name (dict "name" $all.secretName "key" $name) }}{{ end -}}
{{- end -}}
{{- toYaml $refs -}}
{{- end -}}

{{/* env of a container, behind the variables that its own template writes: connections, `config`, secrets and extraEnv. */}}
{{- define "ranger-relay.env" -}}
- name: MALLOC_ARENA_MAX
  value: '1'
{{- $secrets := include "ranger-relay.secrets" . | fromYaml -}}
{{- range $name, $value := include "ranger-relay.variables" . | fromYaml -}}
{{- $text := ternary "" (include "ranger-relay.text" $value) (kindIs "invalid" $value) -}}
{{- if and $text (not (get $secrets $name)) }}
- name: {{ $name }}
  value: {{ $text | replace "$" "$$" | quote }}
{{- end -}}
{{- end -}}
{{- range $name, $_ := $secrets }}
- name: {{ $name | trimSuffix "_FILE" }}_FILE
  value: /etc/ranger-relay/secrets/{{ $name }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
