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

{{/* Labels that select the pods. */}}
{{- define "patrol-sync.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: {{ .Chart.Name }}
{{- end -}}

{{/* Labels of Jobs and pods, without those of the values. */}}
{{- define "patrol-sync.podLabels" -}}
{{ include "patrol-sync.selectorLabels" . }}
app.kubernetes.io/part-of: ranger-relay
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{/* Labels of every object, without those of the values. */}}
{{- define "patrol-sync.ownLabels" -}}
{{ include "patrol-sync.podLabels" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
{{- end -}}

{{- define "patrol-sync.labels" -}}
{{ include "patrol-sync.ownLabels" . }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Annotations of an object, in its metadata: those of `own` and commonAnnotations. */}}
{{- define "patrol-sync.annotations" -}}
{{- with merge (dict) (.own | default dict) (.Values.commonAnnotations | default dict) }}
  annotations:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end -}}

{{- define "patrol-sync.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "patrol-sync.fullname" .) -}}
{{- end -}}

{{- define "patrol-sync.image" -}}
{{- $name := list .Values.image.registry .Values.image.repository | compact | join "/" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $name .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* User ID of pods; empty where the cluster assigns it, as OpenShift does. */}}
{{- define "patrol-sync.runAsUser" -}}
{{- if not (or .Values.assignedUser (.Capabilities.APIVersions.Has "security.openshift.io/v1")) -}}65532{{- end -}}
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
