{{/* Settings that a person should know of, one a line. */}}
{{- define "operator.warnings" -}}
{{- if .Values.allNamespaces }}
WARNING: allNamespaces is true: the account of the operator may read every Secret of the cluster, and make Jobs everywhere.
{{- end }}
{{- if not .Values.approval.restricted }}
WARNING: approval.restricted is false: whoever may edit a PatrolSync may approve it.
{{- end }}
{{- if not .Values.rbac.create }}
WARNING: rbac.create is false: somebody has to give the account {{ include "lib.accountName" . }} the rights that the README lists.
{{- end }}
{{- if not .Values.crds.enabled }}
WARNING: crds.enabled is false: nothing works before somebody has applied the definitions, and they are brought up to date by hand.
{{- end }}
{{- if not .Values.networkPolicy.enabled }}
WARNING: networkPolicy.enabled is false: every pod of the cluster reaches its metrics.
{{- end }}
{{- if lt (.Values.replicas | int64) 1 }}
WARNING: replicas is 0: nothing runs.
{{- end }}
{{- end -}}
