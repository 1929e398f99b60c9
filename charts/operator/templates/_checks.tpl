{{/* What cannot work, each with one sentence. */}}
{{- define "operator.check" -}}
{{- include "lib.checkImage" . -}}
{{- include "lib.checkMonitor" . -}}
{{- include "lib.checkBudget" . -}}
{{- include "lib.checkPod" . -}}
{{- include "operator.checkNamespaces" . -}}
{{- end -}}

{{/* A version whose empty watchNamespace meant every namespace: what it looked after would be forgotten without a word. */}}
{{- define "operator.checkNamespaces" -}}
{{- if and .Values.allNamespaces .Values.watchNamespaces -}}
{{- include "lib.fail" (list . "allNamespaces is true and watchNamespaces names some; keep one of them") -}}
{{- end -}}
{{- if and .Release.IsUpgrade (not .Values.allNamespaces) (not .Values.watchNamespaces) -}}
{{- $role := lookup "rbac.authorization.k8s.io/v1" "ClusterRole" "" (include "lib.fullname" .) -}}
{{- range $role.rules -}}
{{- if has "secrets" .resources -}}
{{- include "lib.fail" (list $ (printf "this release looks after every namespace, and without a value would look after %s alone from now on; name the namespaces in watchNamespaces (kubectl get patrolsyncs,patrolsyncrollbacks --all-namespaces lists the objects), or set allNamespaces: true" $.Release.Namespace)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
