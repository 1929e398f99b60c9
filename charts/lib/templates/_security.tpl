{{/* What Pod Security "restricted" asks of a pod; nothing can loosen it. */}}
{{- define "lib.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* The same for a container. */}}
{{- define "lib.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop:
    - ALL
{{- end -}}

{{/* The only place that can be written. */}}
{{- define "lib.tmpVolume" -}}
name: tmp
emptyDir:
  sizeLimit: {{ index .Values.resources.limits "ephemeral-storage" }}
{{- end -}}

{{- define "lib.tmpMount" -}}
name: tmp
mountPath: /tmp
{{- end -}}

{{/* Requests and limits without those that are null. */}}
{{- define "lib.resources" -}}
{{- range $kind := list "requests" "limits" }}
{{ $kind }}:
  {{- range $name, $value := get $.Values.resources $kind }}
  {{- if not (kindIs "invalid" $value) }}
  {{ $name }}: {{ include "lib.text" $value }}
  {{- end }}
  {{- end }}
{{- end }}
{{- end -}}
