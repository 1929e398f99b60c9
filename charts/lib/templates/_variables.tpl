{{/* Where mounted Secrets are. */}}
{{- define "lib.secretsFolder" -}}/etc/ranger-relay/secrets{{- end -}}

{{/* Notes a variable: context, name, the value that gives it, `values` or `mounts`, and what. Two places for one variable stop it all. */}}
{{- define "lib.give" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $place := index . 2 -}}
{{- $given := $root.given -}}
{{- if hasKey $given.places $name -}}
{{- include "lib.fail" (list $root (printf "%s is given by %s and by %s; keep one of them" $name (get $given.places $name) $place)) -}}
{{- end -}}
{{- $_ := set $given.places $name $place -}}
{{- $_ := set (get $given (index . 3)) $name (index . 4) -}}
{{- end -}}

{{/* Puts what a variable is, its default included, into the `value` of a map. */}}
{{- define "lib.variable" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $known := get $root.facts.variables $name | default dict -}}
{{- $_ := set (index . 2) "value" (get $root.given.values $name | default (get $known "default")) -}}
{{- end -}}

{{/* Refuses a value that the pod would refuse, with the variable's name. Its length counts as there: characters beyond 16 bits are two. */}}
{{- define "lib.checkSetting" -}}
{{- $setting := index . 1 -}}
{{- $text := index . 2 -}}
{{- $length := add (len (regexFindAll "(?s)." $text -1)) (len (regexFindAll "[^\\x{0}-\\x{FFFF}]" $text -1)) -}}
{{- $fits := and (regexMatch ($setting.pattern | default "") $text) (le ($length | int) ($setting.maxLength | default 100000 | int)) -}}
{{- if and $text (not $fits) -}}
{{- include "lib.fail" (list (index . 0) (printf "%s is %q, but %s takes %s" $setting.path (regexFind "(?s)^.{0,100}" $text) ($setting.variable | default "it") $setting.takes)) -}}
{{- end -}}
{{- end -}}

{{/* Variables that values stand for: only what differs from the default, and references. */}}
{{- define "lib.giveSettings" -}}
{{- $found := dict -}}
{{- range .facts.settings -}}
{{- include "lib.at" (list $.Values .path $found) -}}
{{- $value := $found.value -}}
{{- if kindIs "map" $value -}}
{{- $key := ternary (get $value (.key | default "")) $value.key (hasKey . "key") -}}
{{- $fallback := get (dict "certKey" "tls.crt" "keyKey" "tls.key") (.key | default "") -}}
{{- include "lib.give" (list $ .variable .path "mounts" (dict "name" $value.name "key" ($key | default $fallback) "kind" ($value.kind | default "Secret"))) -}}
{{- else -}}
{{- $text := include "lib.text" $value -}}
{{- include "lib.checkSetting" (list $ . $text) -}}
{{- $known := get $.facts.variables .variable -}}
{{- if and $text (ne $text $known.default) -}}
{{- include "lib.give" (list $ .variable .path "values" $text) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Variables under config and secrets. */}}
{{- define "lib.giveOwn" -}}
{{- range $name, $value := .Values.config -}}
{{- if not (kindIs "invalid" $value) -}}
{{- include "lib.give" (list $ $name "config" "values" (include "lib.text" $value)) -}}
{{- end -}}
{{- end -}}
{{- range $name, $ref := .Values.secrets -}}
{{- if $ref -}}
{{- include "lib.give" (list $ $name "secrets" "mounts" (dict "name" $ref.name "key" $ref.key "kind" ($ref.kind | default "Secret"))) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Secrets that the service cannot do without come from the one Secret when nothing else names them. */}}
{{- define "lib.giveNeeded" -}}
{{- $found := dict -}}
{{- range .facts.needs -}}
{{- $wanted := true -}}
{{- with .when -}}
{{- include "lib.variable" (list $ .variable $found) -}}
{{- $wanted = ternary (ne $found.value (get . "not")) (eq $found.value (get . "is")) (hasKey . "not") -}}
{{- end -}}
{{- if and $wanted (not (hasKey $.given.mounts .variable)) -}}
{{- if $.Values.secretName -}}
{{- include "lib.give" (list $ .variable "secretName" "mounts" (dict "name" $.Values.secretName "key" .variable "kind" "Secret")) -}}
{{- else -}}
{{- include "lib.fail" (list $ (printf "the Secret with %s is not named; give %s {name, key}, or secretName for a Secret that has a key of that name" .variable .place)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Variables that follow from other values. */}}
{{- define "lib.giveDerived" -}}
{{- if .facts.serves -}}
{{- include "lib.give" (list . "PORT" "ports.http" "values" (include "lib.text" .Values.ports.http)) -}}
{{- include "lib.give" (list . "HEALTH_PORT" "ports.health" "values" (include "lib.text" .Values.ports.health)) -}}
{{- else -}}
{{- include "lib.give" (list . "PORT" "ports.health" "values" (include "lib.text" .Values.ports.health)) -}}
{{- end -}}
{{- include "lib.give" (list . "STOP_GRACE_S" "terminationGracePeriodSeconds" "values" (sub (include "lib.grace" . | int64) (add 5 (.Values.preStopSeconds | int64)) | toString)) -}}
{{- end -}}

{{/* A variable that the chart knows must not come in by the side door. */}}
{{- define "lib.refuseExtraEnv" -}}
{{- range .Values.extraEnv -}}
{{- $name := .name | default "" -}}
{{- if or (hasKey $.facts.variables $name) (hasKey $.facts.variables (trimSuffix "_FILE" $name)) -}}
{{- include "lib.fail" (list $ (printf "extraEnv gives %s, which is a variable of the service; write it under config or secrets, or as the value that stands for it" $name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* All variables of the service, as .given: `values`, `mounts` and the `places` that they come from. */}}
{{- define "lib.collect" -}}
{{- $_ := set . "given" (dict "values" dict "mounts" dict "places" dict) -}}
{{- include "lib.giveSettings" . -}}
{{- include "lib.giveOwn" . -}}
{{- include "lib.giveNeeded" . -}}
{{- include "lib.giveDerived" . -}}
{{- include "lib.refuseExtraEnv" . -}}
{{- end -}}

{{/* A text for the environment or the arguments of a container, where the kubelet makes $ of $$ and a variable's value of $(NAME). */}}
{{- define "lib.literal" -}}
{{- . | toString | replace "$" "$$" | quote -}}
{{- end -}}

{{/* The variables as a container has them, in the order of their names. What people add is theirs, references included. */}}
{{- define "lib.env" -}}
{{- $env := deepCopy .facts.env -}}
{{- range $name, $value := .given.values -}}
{{- $_ := set $env $name $value -}}
{{- end -}}
{{- range $name, $ref := .given.mounts -}}
{{- $isSecret := eq (get $.facts.variables $name).kind "secret" -}}
{{- $_ := set $env (ternary (printf "%s_FILE" $name) $name $isSecret) (printf "%s/%s" (include "lib.secretsFolder" $) $name) -}}
{{- end -}}
{{- range $name, $value := $env }}
- name: {{ $name }}
  value: {{ include "lib.literal" $value }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* One volume with every mounted variable as a file of its name. Without sub-paths, so that a changed Secret arrives. */}}
{{- define "lib.secretsVolume" -}}
name: secrets
projected:
  defaultMode: 288 # 0440
  sources:
    {{- range $name, $ref := .given.mounts }}
    - {{ ternary "configMap" "secret" (eq $ref.kind "ConfigMap") }}:
        name: {{ $ref.name }}
        items:
          - key: {{ $ref.key | quote }}
            path: {{ $name }}
    {{- end }}
{{- end -}}
