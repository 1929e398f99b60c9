{{/* Name of the objects: release and chart, unless the release already has that name. A long name ends with its hash. */}}
{{- define "patrol-sync.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $full := .Values.fullnameOverride | default (ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name)) -}}
{{- if gt (len $full) 52 -}}
{{- printf "%s-%s" ($full | trunc 43 | trimSuffix "-") (sha256sum $full | trunc 8) -}}
{{- else -}}
{{- $full | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "patrol-sync.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: {{ .Chart.Name }}
{{- end -}}

{{- define "patrol-sync.labels" -}}
{{ include "patrol-sync.selectorLabels" . }}
app.kubernetes.io/part-of: ranger-relay
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{/* metadata of an object. Arguments: `of`, the root context; `suffix`, `name`, `labels`, `annotations` as far as it has them. */}}
{{- define "patrol-sync.metadata" -}}
{{- $chart := printf "%s-%s" .of.Chart.Name (.of.Chart.Version | replace "+" "_") -}}
{{- $labels := dict "app.kubernetes.io/managed-by" .of.Release.Service "helm.sh/chart" $chart -}}
name: {{ .name | default (printf "%s%s" (include "patrol-sync.fullname" .of) (.suffix | default "")) }}
namespace: {{ .of.Release.Namespace }}
labels:
  {{- toYaml (merge (include "patrol-sync.labels" .of | fromYaml) $labels (.labels | default dict) (.of.Values.commonLabels | default dict)) | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) (.of.Values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "patrol-sync.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "patrol-sync.fullname" .) -}}
{{- end -}}

{{/* A scalar as text: whole numbers never in the form 1e+07. */}}
{{- define "patrol-sync.text" -}}
{{- if and (kindIs "float64" .) (eq (int64 . | float64) .) -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{/* Heap of Node.js in MiB, from the memory limit. */}}
{{- define "patrol-sync.heap" -}}
{{- $memory := include "patrol-sync.text" .Values.resources.limits.memory -}}
{{- $unit := regexFind "[A-Za-z]+$" $memory -}}
{{- $factor := get (dict "k" 1e3 "M" 1e6 "G" 1e9 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824) $unit | default 1 | float64 -}}
{{- $limit := divf (mulf (trimSuffix $unit $memory | float64) $factor) 1048576 | floor | int64 -}}
{{- $heap := .Values.heapMiB | default (div (mul (sub $limit 64) 4) 5) | int64 -}}
{{- if or (lt $heap 32) (gt (add $heap 64) $limit) -}}
{{- fail (printf "resources.limits.memory is %s, which is too little for a heap of %d MiB and 64 MiB beside it; raise it, or lower heapMiB" $memory (max $heap 32)) -}}
{{- end -}}
{{- $heap -}}
{{- end -}}

{{/* Claim of the volume of checklists, plans and run records. */}}
{{- define "patrol-sync.outputClaim" -}}
{{- .Values.output.claim.name | default (printf "%s-output" (include "patrol-sync.fullname" .)) -}}
{{- end -}}

{{/* Port of the site, from its address. */}}
{{- define "patrol-sync.sitePort" -}}
{{- $host := regexReplaceAll "^https?://" .Values.site.endpoint "" | splitList "/" | first -}}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $host) | default (ternary "80" "443" (hasPrefix "http://" .Values.site.endpoint)) -}}
{{- end -}}
