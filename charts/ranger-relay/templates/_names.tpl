{{/*
Every helper below takes a component: a map with `name`, `values`, and Release, Chart, Capabilities and Files of Helm (_components.tpl).

Name of the objects: release and component, unless the release already has that name. A long name ends with its hash.
*/}}
{{- define "ranger-relay.fullname" -}}
{{- $name := .values.nameOverride | default .name -}}
{{- $full := .values.fullnameOverride | default (ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name)) -}}
{{- if gt (len $full) 52 -}}
{{- printf "%s-%s" ($full | trunc 43 | trimSuffix "-") (sha256sum $full | trunc 8) -}}
{{- else -}}
{{- $full | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Selectors are immutable: these labels never change, also when the names of objects do. */}}
{{- define "ranger-relay.selectorLabels" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "ranger-relay.podLabels" -}}
{{- $own := dict "app.kubernetes.io/part-of" "ranger-relay" "app.kubernetes.io/version" .Chart.AppVersion -}}
{{- $own = merge $own (include "ranger-relay.selectorLabels" . | fromYaml) -}}
{{- toYaml (merge $own (.values.podLabels | default dict) (.values.commonLabels | default dict)) -}}
{{- end -}}

{{/* metadata of an object with the name of its component: component, suffix of the name, more labels, annotations. */}}
{{- define "ranger-relay.metadata" -}}
{{- $name := printf "%s%s" (include "ranger-relay.fullname" (index . 0)) (index . 1) -}}
{{- include "ranger-relay.namedMetadata" (list (index . 0) $name (index . 2) (index . 3)) -}}
{{- end -}}

{{/* The same with the whole name instead of the suffix. */}}
{{- define "ranger-relay.namedMetadata" -}}
{{- $c := index . 0 -}}
{{- $labels := dict "app.kubernetes.io/part-of" "ranger-relay" "app.kubernetes.io/version" $c.Chart.AppVersion -}}
{{- $labels = merge $labels (include "ranger-relay.selectorLabels" $c | fromYaml) -}}
{{- $chart := printf "%s-%s" $c.Chart.Name ($c.Chart.Version | replace "+" "_") -}}
{{- $labels = merge $labels (dict "app.kubernetes.io/managed-by" $c.Release.Service "helm.sh/chart" $chart) -}}
name: {{ index . 1 }}
namespace: {{ $c.Release.Namespace }}
labels:
  {{- toYaml (merge $labels (index . 2) ($c.values.commonLabels | default dict)) | nindent 2 }}
{{- with merge (deepCopy (index . 3)) ($c.values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "ranger-relay.serviceAccountName" -}}
{{- .values.serviceAccount.name | default (ternary (include "ranger-relay.fullname" .) "default" .values.serviceAccount.create) -}}
{{- end -}}

{{/* A digest takes precedence over a tag. */}}
{{- define "ranger-relay.image" -}}
{{- $image := .values.image -}}
{{- $name := list $image.registry $image.repository | compact | join "/" -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $name $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name ($image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* A scalar as text: whole numbers never in the form 1e+07. */}}
{{- define "ranger-relay.text" -}}
{{- if and (kindIs "float64" .) (eq (int64 . | float64) .) -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{/* A quantity of Kubernetes as a number: cores, bytes. */}}
{{- define "ranger-relay.quantity" -}}
{{- $text := include "ranger-relay.text" . -}}
{{- $units := dict "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- $unit := regexFind "[A-Za-z]+$" $text -}}
{{- mulf (trimSuffix $unit $text | float64) (get $units $unit | default 1 | float64) -}}
{{- end -}}
