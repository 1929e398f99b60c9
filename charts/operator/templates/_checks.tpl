{{/* What cannot work, each with one sentence. */}}
{{- define "operator.check" -}}
{{- include "lib.checkImage" . -}}
{{- include "lib.checkMonitor" . -}}
{{- include "lib.checkBudget" . -}}
{{- include "lib.checkPod" . -}}
{{- end -}}
