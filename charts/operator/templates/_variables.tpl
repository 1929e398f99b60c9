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
{{- range $name, $place := dict "JOB_SERVICE_ACCOUNT" "jobs.serviceAccountName" "JOB_MEMORY_MIB" "jobs.memoryMiB" "JOB_DEADLINE_S" "jobs.deadlineSeconds" -}}
{{- $found := dict -}}
{{- include "lib.at" (list $.Values $place $found) -}}
{{- with include "lib.text" $found.value -}}
{{- include "lib.give" (list $ $name $place "values" .) -}}
{{- end -}}
{{- end -}}
{{- $namespaces := include "operator.namespaces" . | fromJsonArray -}}
{{- if eq (len $namespaces) 1 -}}
{{- include "lib.give" (list . "WATCH_NAMESPACE" "watchNamespaces" "values" (first $namespaces)) -}}
{{- end -}}
{{- include "lib.give" (list . "JOB_POD" "jobs" "values" (include "operator.jobPod" .)) -}}
{{- include "lib.give" (list . "LEADER_LEASE" "the name of the objects" "values" (include "lib.fullname" .)) -}}
{{- include "lib.give" (list . "JOB_IMAGE" "jobs.image" "values" (include "operator.jobImage" .)) -}}
{{- include "lib.give" (list . "JOB_IMAGE_PULL_POLICY" "image.pullPolicy" "values" .Values.image.pullPolicy) -}}
{{- with $jobs.imagePullSecrets -}}
{{- include "lib.give" (list $ "JOB_IMAGE_PULL_SECRETS" "jobs.imagePullSecrets" "values" (join "," .)) -}}
{{- end -}}
{{- end -}}

{{/* What else the pods of the Jobs have, as the operator reads it. */}}
{{- define "operator.jobPod" -}}
{{- $jobs := .Values.jobs -}}
{{- $pod := dict "runAsUser" (include "lib.runAsUser" . | int64 | default nil) -}}
{{- range $name, $value := dict "labels" $jobs.podLabels "annotations" $jobs.podAnnotations "nodeSelector" $jobs.nodeSelector "tolerations" $jobs.tolerations "affinity" $jobs.affinity "priorityClassName" $jobs.priorityClassName "env" $jobs.extraEnv -}}
{{- if $value -}}{{- $_ := set $pod $name $value -}}{{- end -}}
{{- end -}}
{{- $pod | toJson -}}
{{- end -}}

{{/* The whole reference of the image of the Jobs, of the same registry and version as the operator's own. */}}
{{- define "operator.jobImage" -}}
{{- $image := mergeOverwrite (deepCopy (pick .Values.image "registry" "tag")) (dict "repository" .Values.jobs.image.repository "digest" .Values.jobs.image.digest) -}}
{{- include "lib.image" (dict "Values" (dict "image" $image) "Chart" .Chart) -}}
{{- end -}}
