{{/* Values, facts and variables. */}}
{{- define "operator.prepare" -}}
{{- include "lib.prepare" . -}}
{{- include "lib.checkHints" . -}}
{{- include "lib.collect" . -}}
{{- include "operator.give" . -}}
{{- end -}}

{{/* Variables that follow from values of other names. */}}
{{- define "operator.give" -}}
{{- $jobs := .Values.jobs -}}
{{- range $name, $place := dict "WATCH_NAMESPACE" "watchNamespace" "JOB_SERVICE_ACCOUNT" "jobs.serviceAccountName" "JOB_MEMORY_MIB" "jobs.memoryMiB" "JOB_DEADLINE_S" "jobs.deadlineSeconds" -}}
{{- $found := dict -}}
{{- include "lib.at" (list $.Values $place $found) -}}
{{- with include "lib.text" $found.value -}}
{{- include "lib.give" (list $ $name $place "values" .) -}}
{{- end -}}
{{- end -}}
{{- include "lib.give" (list . "LEADER_LEASE" "the name of the objects" "values" (include "lib.fullname" .)) -}}
{{- include "lib.give" (list . "JOB_IMAGE" "jobs.image" "values" (include "operator.jobImage" .)) -}}
{{- include "lib.give" (list . "JOB_IMAGE_PULL_POLICY" "image.pullPolicy" "values" .Values.image.pullPolicy) -}}
{{- with $jobs.imagePullSecrets -}}
{{- include "lib.give" (list $ "JOB_IMAGE_PULL_SECRETS" "jobs.imagePullSecrets" "values" (join "," .)) -}}
{{- end -}}
{{- end -}}

{{/* The whole reference of the image of the Jobs, of the same registry and version as the operator's own. */}}
{{- define "operator.jobImage" -}}
{{- $image := mergeOverwrite (deepCopy (pick .Values.image "registry" "tag")) (dict "repository" .Values.jobs.image.repository "digest" .Values.jobs.image.digest) -}}
{{- include "lib.image" (dict "Values" (dict "image" $image) "Chart" .Chart) -}}
{{- end -}}
