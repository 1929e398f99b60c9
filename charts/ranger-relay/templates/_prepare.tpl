{{/* Facts of the chart, its values made whole, and what cannot work; those below have the global ones too. */}}
{{- define "relay.prepare" -}}
{{- if not (hasKey . "facts") -}}
{{- $_ := set . "facts" (.Files.Get "facts.json" | fromJson) -}}
{{- include "lib.fillDefaults" . -}}
{{- range .Subcharts -}}
{{- include "lib.fill" (list (.Values.global | default dict) $.Values.global) -}}
{{- end -}}
{{- include "lib.checkHints" . -}}
{{- include "relay.check" . -}}
{{- include "relay.wireUsers" . -}}
{{- end -}}
{{- end -}}

{{/*
The context of a part of this chart, as if it was a chart of its own with the global values: context, name of the part, its values, and the
map that becomes the context.
*/}}
{{- define "relay.part" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $values := deepCopy (index . 2) -}}
{{- $into := index . 3 -}}
{{- $facts := get $root.facts.parts $name -}}
{{- range $root.facts.shared -}}
{{- if and (hasKey $root.Values.global .) (ne . "config") -}}
{{- include "lib.fill" (list $values (dict . (get $root.Values.global .))) -}}
{{- end -}}
{{- end -}}
{{- include "lib.fill" (list $values (dict "image" $root.Values.image "config" dict "secrets" dict "extraEnv" list)) -}}
{{- range $variable, $value := $root.Values.global.config -}}
{{- if and (hasKey $facts.variables $variable) (not (hasKey $values.config $variable)) -}}
{{- $_ := set $values.config $variable $value -}}
{{- end -}}
{{- end -}}
{{- $chart := dict "Name" $name "Version" $root.Chart.Version "AppVersion" $root.Chart.AppVersion "IsRoot" false -}}
{{- $_ := merge $into (dict "Values" $values "Chart" $chart "Release" $root.Release "Files" $root.Files "Capabilities" $root.Capabilities "facts" $facts) -}}
{{- end -}}

{{/* Variables of a part: those of values, its own, and the secrets that it cannot do without. */}}
{{- define "relay.collect" -}}
{{- if not (hasKey . "given") -}}
{{- $_ := set . "given" (dict "values" dict "mounts" dict "places" dict) -}}
{{- end -}}
{{- include "lib.giveSettings" . -}}
{{- include "lib.giveOwn" . -}}
{{- include "lib.giveNeeded" . -}}
{{- include "lib.refuseExtraEnv" . -}}
{{- end -}}

{{/* The values of short-lived pods, with a login of their own at the brokers when there is one: context, login. */}}
{{- define "relay.taskValues" -}}
{{- $values := deepCopy (omit (index . 0).Values.tasks "kafka") -}}
{{- $kafka := dict -}}
{{- range $part, $settings := index . 1 -}}
{{- range $key, $value := $settings -}}
{{- if $value -}}{{- $_ := set $kafka $part (merge (dict $key $value) (get $kafka $part | default dict)) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- merge $values (dict "kafka" $kafka "serviceAccount" (dict "name" "")) | toJson -}}
{{- end -}}

{{/* The services that are installed as pods of their own, as a list with commas; the operator and the sync need no brokers. */}}
{{- define "relay.installed" -}}
{{- if not .Values.embedded.enabled -}}
{{- $installed := list -}}
{{- range .facts.services -}}
{{- if hasKey $.Subcharts . -}}{{- $installed = append $installed . -}}{{- end -}}
{{- end -}}
{{- join "," $installed -}}
{{- end -}}
{{- end -}}

{{/* A variable of a service below, as text; the default when the service is not installed or says nothing: context, service, variable, default. */}}
{{- define "relay.serviceVariable" -}}
{{- $service := get (index . 0).Subcharts (index . 1) | default dict -}}
{{- $value := get (dig "config" dict ($service.Values | default dict | toJson | fromJson)) (index . 2) -}}
{{- include "lib.text" ($value | default (index . 3)) -}}
{{- end -}}

{{/* Types of the integrations, which name the topics of commands. */}}
{{- define "relay.slugs" -}}
PUSHER_TYPE_SLUG: {{ include "relay.serviceVariable" (list . "message-pusher" "INTEGRATION_TYPE_SLUG" .facts.slugs.pusher) }}
RUNNER_TYPE_SLUG: {{ include "relay.serviceVariable" (list . "action-runner" "INTEGRATION_TYPE_SLUG" .facts.slugs.runner) }}
{{- end -}}
